# What R says of the statistics here: Rscript reference.R > r.json
suppressWarnings({
t <- expand.grid(t=c(0,0.5,2,4.5,12,40),df=c(1,5,30,998))
x <- expand.grid(x=c(0.3,4,30,200,700),df=c(1,3,11,60))
k <- expand.grid(k=c(1,3,10,40),m=c(0.001,0.2,3,25))
j <- function(d) paste0("[",paste(apply(d,1,function(r) paste0("[",paste(format(r,digits=15,trim=TRUE),collapse=","),"]")),collapse=","),"]")
cat('{"student":',j(cbind(t,2*pt(-t$t,t$df))),',\n"chiSquared":',j(cbind(x,pchisq(x$x,x$df,lower.tail=FALSE))),',\n"poisson":',j(cbind(k,ppois(k$k-1,k$m,lower.tail=FALSE))),sep="")

p <- c(0.01,0.02,0.03,0.005,0.2,0.9)
cat(',\n"holm":{"given":[',paste(p,collapse=","),'],"adjusted":[',paste(p.adjust(p,"holm"),collapse=","),']}',sep="")
a<-c(airquality$Ozone);b<-airquality$Temp
ct<-cor.test(airquality$Ozone,airquality$Temp,method="spearman",exact=FALSE)
rho<-unname(ct$estimate)
kw<-kruskal.test(weight~feed,data=chickwts)
tab<-apply(HairEyeColor,c(1,2),sum);cs<-chisq.test(tab,correct=FALSE)
js<-function(v) paste0("[",paste(ifelse(is.na(v),"null",paste0('"',v,'"')),collapse=","),"]")
jn<-function(v) paste0("[",paste(ifelse(is.na(v),"null",v),collapse=","),"]")
cat(',\n"spearman":{"ozone":',jn(airquality$Ozone),',"temp":',jn(airquality$Temp),',"rho":',format(rho,digits=15),',"pearson":',format(cor(airquality$Ozone,airquality$Temp,use="complete"),digits=15),'}',sep="")
cat(',\n"kruskal":{"weight":',jn(chickwts$weight),',"feed":',js(as.character(chickwts$feed)),',"statistic":',format(unname(kw$statistic),digits=15),',"p":',format(kw$p.value,digits=15),'}',sep="")
cat(',\n"chiSquaredTest":{"table":[',paste(apply(tab,1,function(r)jn(r)),collapse=","),'],"statistic":',format(unname(cs$statistic),digits=15),',"p":',format(cs$p.value,digits=15),',"v":',format(unname(sqrt(cs$statistic/sum(tab)/3)),digits=15),'}',sep="")
f <- list(c(3,1,1,3),c(12,5,29,2),c(0,10,40,350),c(8,32,32,328))
cat(',\n"fisher":[',paste(sapply(f,function(v) paste0("[[",v[1],",",v[2],"],[",v[3],",",v[4],"],",format(fisher.test(matrix(v,2,byrow=TRUE))$p.value,digits=15),"]")),collapse=","),']}\n',sep="")
})
